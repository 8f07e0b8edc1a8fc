"""How dates are written: calm and short in English, as usual in German; numbers are Django's."""
