"""Compute an expression exactly: a syntax tree with a white list, and bounds on everything."""

import ast
import operator
import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt

LONGEST = 200  # characters
DEEPEST = 40  # nested operations
MOST_DIGITS = 400  # of a number on the way
HIGHEST_POWER = 1000
SHOWN = 15  # significant digits of a result that has no end

Number = Fraction
THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
GERMAN_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+,\d+(?![\d.,])")
DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
PER_CENT_OF = re.compile(r"(\d+(?:\.\d+)?)\s*%\s*(?:of|von)\b", re.I)
PER_CENT = re.compile(r"(\d+(?:\.\d+)?)\s*%(?!\s*[\d(.a-z])", re.I)
SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", ":": "/", "−": "-", "–": "-", "^": "\0"})


class CannotCompute(Exception):
    """The expression cannot be computed; the text says why."""


class NoArithmetic(CannotCompute):
    """It is no expression at all, or one of more than arithmetic."""


def compute(expression: str) -> str:
    """The value of an expression of + - * / // % **, brackets, sqrt, abs, round, min and max.

    Exact; a value without an end is rounded to 15 digits and begins with "≈ ".
    Raises CannotCompute.
    """
    if len(expression) > LONGEST:
        raise CannotCompute(f"The expression is longer than {LONGEST} characters.")
    try:
        tree = ast.parse(_as_python(expression), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise NoArithmetic(f"“{expression}” is no expression.") from None
    return shown(_value(tree.body, 0))


def shown(value: Number) -> str:
    """In decimals: exactly where they end, else rounded."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    with localcontext() as context:
        context.prec = MOST_DIGITS + 50 if rest == 1 else SHOWN
        decimal = Decimal(value.numerator) / Decimal(value.denominator)
        text = f"{decimal:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if rest == 1 and len(text) <= 60:
        return text
    return f"≈ {decimal:.{SHOWN}g}" if len(text) > 60 else f"≈ {text}"


def _as_python(text: str) -> str:
    """The expression as people write it, in Python's spelling."""
    text = text.strip().rstrip("=?").strip().translate(SIGNS).replace("\0", "**")
    text = GERMAN_THOUSANDS.sub(lambda found: found[0].replace(".", "").replace(",", "."), text)
    if not re.search(r"[a-z]", text, re.I) or "(" not in text:  # else commas part arguments
        text = THOUSANDS.sub(lambda found: found[0].replace(",", ""), text)
        text = DECIMAL_COMMA.sub(".", text)
    text = PER_CENT_OF.sub(r"(\1/100)*", text)
    return PER_CENT.sub(r"(\1/100)", text)


def _value(node: ast.expr, depth: int) -> Number:
    if depth > DEEPEST:
        raise CannotCompute("The expression is nested too deeply.")
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return _bounded(Fraction(str(number)) if abs(number) < float("inf") else _too_large())
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, depth + 1)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _value(inner, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATIONS:
            both = _value(left, depth + 1), _value(right, depth + 1)
            return _bounded(OPERATIONS[type(op)](*both))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return _bounded(_called(name, [_value(each, depth + 1) for each in args]))
    raise NoArithmetic("Only numbers, + - * / // % **, brackets and sqrt, abs, round, min, max.")


def _too_large() -> Number:
    raise CannotCompute("A number is too large.")


def _bounded(value: Number) -> Number:
    most = MOST_DIGITS * 10 // 3  # bits
    if value.numerator.bit_length() > most or value.denominator.bit_length() > most:
        _too_large()
    return value


def _divided(how: Callable[[Number, Number], Number | int]) -> Callable[[Number, Number], Number]:
    def divide(left: Number, right: Number) -> Number:
        if not right:
            raise CannotCompute("Division by zero.")
        return Fraction(how(left, right))

    return divide


def _power(left: Number, right: Number) -> Number:
    if right == Fraction(1, 2):
        return _root(left)
    if right.denominator != 1 or abs(right) > HIGHEST_POWER:
        raise CannotCompute(f"An exponent is a whole number up to {HIGHEST_POWER}.")
    if not left and right < 0:
        raise CannotCompute("Division by zero.")
    bits = max(left.numerator.bit_length(), left.denominator.bit_length())
    if bits * abs(right) > MOST_DIGITS * 4:  # before it is computed
        _too_large()
    return Fraction(left ** int(right))


def _root(value: Number) -> Number:
    if value < 0:
        raise CannotCompute("There is no root of a negative number.")
    above, below = isqrt(value.numerator), isqrt(value.denominator)
    if above**2 == value.numerator and below**2 == value.denominator:
        return Fraction(above, below)
    scale = 3**64  # a denominator without an end in decimals: it is shown as rounded
    return Fraction(isqrt(value.numerator * scale**2 // value.denominator), scale)


def _rounded(value: Number, digits: Number = Fraction(0)) -> Number:
    """Half away from zero, as people round."""
    if digits.denominator != 1 or not 0 <= digits <= 30:
        raise CannotCompute("round takes a number of decimals from 0 to 30.")
    scale = 10 ** int(digits)
    whole = int(abs(value) * scale + Fraction(1, 2))
    return Fraction(whole if value >= 0 else -whole, scale)


OPERATIONS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divided(operator.truediv),
    ast.FloorDiv: _divided(operator.floordiv),
    ast.Mod: _divided(operator.mod),
    ast.Pow: _power,
}
FUNCTIONS: dict[str, Callable[..., Number]] = {
    "sqrt": _root,
    "abs": abs,
    "round": _rounded,
    "min": min,
    "max": max,
}
ARGUMENTS = {"sqrt": (1, 1), "abs": (1, 1), "round": (1, 2), "min": (2, 50), "max": (2, 50)}


def _called(name: str, values: list[Number]) -> Number:
    least, most = ARGUMENTS[name]
    if not least <= len(values) <= most:
        raise CannotCompute(f"{name} takes {least} to {most} numbers.")
    return FUNCTIONS[name](*values)
