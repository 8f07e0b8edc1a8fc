"""What greets and thanks, and so asks for nothing. Pure.

Only what is nothing else: "Hello, how long is the notice?" is a question, and so is "bonjour mdns".
"""

import re
from collections.abc import Sequence

# As they are folded, and without what an apostrophe joins to a word: "geht's" is "geht".
SAID = r"""
hello|hi|hey|hiya|good (?:morning|afternoon|evening|night|day)|nice to meet you|how do you do
how are you(?: doing)?(?: today)?|how (?:is )?it going|what(?:s| is)? up|(?:good ?)?bye
thanks?(?: you)?(?: (?:so|very) much| a lot)?(?: for (?:that|your help|everything))?|many thanks
see you(?: later| soon| tomorrow)?|have a (?:nice|good|great) day
hallo(?:chen)?|moin|servus|gru(?:ss|e?zi)(?: (?:gott|dich|euch|sie))?|gruess (?:gott|dich|euch|sie)
guten (?:morgen|tag|abend)|gute nacht
wie gehts?(?: es)?(?: (?:dir|ihnen|euch|so))?(?: heute)?|alles (?:klar|gut)|schonen (?:tag|abend)
danke(?: (?:dir|ihnen|euch))?(?: (?:sehr|schon|vielmals))?|danke(?:schon|schoen)
danke schoen|(?:vielen|herzlichen|vielen herzlichen|besten|tausend) dank(?: dafur)?
tschuss|tschuess|ciao|auf wiedersehen|bis (?:bald|spater|dann|morgen)
bonjour|bonsoir|salut|bonne (?:nuit|journee|soiree)|merci(?: (?:beaucoup|bien))?|au revoir
comment (?:ca va|vas tu|allez vous)|ca va
hola|buenos dias|buenas (?:tardes|noches)|(?:muchas )?gracias|como estas?|adios
buon ?giorno|buona ?(?:sera|notte)|grazie(?: mille)?|come stai|arrivederci
"""
ALONG = r"there|all|everyone|everybody|again|and|so|well|zusammen|mal|bitte|und|also|tout le monde"
_SAID = "|".join(SAID.split("\n")[1:-1])
_GREETING = re.compile(rf"(?:{_SAID})(?: (?:{_SAID}|{ALONG}))*")


def is_greeting(words: Sequence[str]) -> bool:
    """Whether folded words greet or thank, and nothing more."""
    return bool(_GREETING.fullmatch(" ".join(words)))
