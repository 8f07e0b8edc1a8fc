"""One settings file, read from top to bottom. Every variable is listed in `.env.example`."""

import secrets
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from psycopg.conninfo import conninfo_to_dict

from vaultsite import env
from vaultsite.runtime import postgres

BASE_DIR = Path(__file__).resolve().parent.parent
env.read_file(BASE_DIR / ".env")
DEBUG = env.flag("VAULT_DEBUG", False)

# --- where things are kept -------------------------------------------------------------------
DATA_DIR = env.folder("VAULT_DATA", BASE_DIR / "data")
MODELS_DIR = env.folder("VAULT_MODELS", DATA_DIR / "models")  # may be shared by installations
MEDIA_ROOT = DATA_DIR / "files"  # uploaded documents, under ids
DERIVED_DIR = DATA_DIR / "derived"  # page images and the like, can be made again
RUN_DIR = DATA_DIR / "run"  # locks and addresses of running processes
LOG_DIR = DATA_DIR / "logs"  # what they say


def _secret_key() -> str:
    """The key of this installation, made at the first start and readable by its owner only."""
    if key := env.text("SECRET_KEY", ""):
        return key
    kept = DATA_DIR / "secret.key"
    if not kept.exists():
        env.make_folder("VAULT_DATA", DATA_DIR)
        fresh = kept.with_suffix(f".{secrets.token_hex(4)}")
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(50))
        try:
            kept.hardlink_to(fresh)  # of two processes that start at once, the first one's stays
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return kept.read_text()


SECRET_KEY = _secret_key()

# --- the web face ----------------------------------------------------------------------------
HOST = env.text("VAULT_HOST", "127.0.0.1")
PORT = env.number("VAULT_PORT", 8000, most=65_535)
MCP_PORT = env.number("VAULT_MCP_PORT", 0, most=65_535)  # of assistants, on 127.0.0.1; 0: closed
# By no other name: a page of a stranger whose name leads here (DNS rebinding) gets nothing.
ALLOWED_HOSTS = [*("127.0.0.1", "localhost", "[::1]"), *env.hosts("VAULT_ALLOWED_HOSTS", HOST)]
CSRF_TRUSTED_ORIGINS = env.words("VAULT_TRUSTED_ORIGINS")
HTTPS = env.flag("VAULT_HTTPS", False)
# The proxy whose word counts for who asks and by HTTPS or not; nobody else's does.
TRUSTED_PROXY = env.text("VAULT_TRUSTED_PROXY", "")

INSTALLED_APPS = [
    "apps.web.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.forms",
    "csp",
    "django_htmx",
    "django_q",
    "template_partials",
    "apps.web",
    "apps.outbound",
    "apps.llm",
    "apps.progress",
    "apps.library",
    "apps.chat",
    "apps.study",
    "apps.vault",
]
MIDDLEWARE = [
    "apps.web.language.by_browser",  # first: whoever refuses a request says so in it
    "apps.vault.api.problems.in_json",
    "apps.web.headers.guarded",
    "apps.web.database.ConnectionMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "apps.web.origins.own_pages_only",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "apps.web.language.by_person",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "apps.web.browsers.note_visits",
    "apps.web.methods.wrong_methods_have_a_page",
    "apps.web.middleware.last_place",
    "apps.web.middleware.login_is_a_page",
    "apps.web.middleware.messages_ride_along",
    "apps.progress.middleware.announce",
]
CSRF_FAILURE_VIEW = "apps.web.views.stale_form"
FORM_RENDERER = "apps.web.forms.Renderer"
ROOT_URLCONF = "vaultsite.urls"
WSGI_APPLICATION = "vaultsite.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                "django.templatetags.static",
                "django.templatetags.i18n",
                "django.templatetags.l10n",
                "template_partials.templatetags.partials",
                "apps.web.templatetags.face",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "apps.web.shell.context",
                "apps.llm.shell.context",
                "apps.progress.shell.context",
                "apps.library.shell.context",
                "apps.chat.shell.context",
                "apps.study.shell.context",
                "apps.vault.shell.context",
            ],
        },
    }
]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "media-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_REDIRECT_EXEMPT = ["^healthz$"]  # a watchdog on this machine asks without HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# What `check --deploy` would have and a private vault must not do: speak for the other names of its
# domain, and be entered in the browsers' lists for ever. Without HTTPS it cannot have the rest.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if not HTTPS:
    SILENCED_SYSTEM_CHECKS += ["security.W004", "security.W008", "security.W012", "security.W016"]
CSRF_COOKIE_HTTPONLY = True
SESSION_ENGINE = "apps.web.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
LOGIN_URL = "vault:login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "vault:login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # served from where they are: nothing is collected, no STATIC_ROOT
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MAX_AGE = 0 if DEBUG else 365 * 24 * 3600  # their addresses change with them

# --- the database ----------------------------------------------------------------------------
POSTGRES_DIR = DATA_DIR / "postgres"
DATABASE_URL = env.text("DATABASE_URL", "") or postgres.dsn(POSTGRES_DIR)
POSTGRES_IS_EMBEDDED = DATABASE_URL.startswith("postgresql://postgres@/")
_database = conninfo_to_dict(DATABASE_URL)
DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": _database["dbname"],
        "USER": _database.get("user", ""),
        "PASSWORD": _database.get("password", ""),
        "HOST": _database.get("host", ""),
        "PORT": _database.get("port", ""),
        "CONN_MAX_AGE": 60,  # django-q asks five times a second
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {},
    }
}
# The web process only: a forked worker would share its parent's sockets.
if _pool := env.number("DATABASE_POOL", 0):
    DATABASES["default"] |= {
        "CONN_MAX_AGE": 0,
        # psycopg_pool 3.3 sleeps 1, 2, 4 seconds after each dead connection it meets.
        "CONN_HEALTH_CHECKS": False,
        # A server that is back is met again within seconds: the pool would wait longer and longer.
        "OPTIONS": {
            "pool": {"min_size": 1, "max_size": _pool, "timeout": 10, "reconnect_timeout": 3}
        },
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The queue is a doorbell, the truth about work is in rows: short tasks, and a retry so late that
# it never rings twice (its clock runs from the moment a task is fetched, not started).
Q_CLUSTER = {
    "name": "vault",
    "orm": "default",
    "workers": env.number("VAULT_WORKERS", 2),
    "queue_limit": 1,
    "bulk": 1,
    "timeout": 600,
    "retry": 7200,
    "ack_failures": True,
    "max_attempts": 1,
    "poll": 0.2,
    "recycle": 200,
    "catch_up": False,
    "save_limit": 200,
}

# --- files -----------------------------------------------------------------------------------
# Empty: in MEDIA_ROOT. Else an S3-compatible storage: https://host[:port]/bucket[/folder]
STORAGE = env.text("VAULT_STORAGE", "")
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "apps.web.assets.VersionedStorage"},
}
if STORAGE:
    STORAGES["default"] = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": env.bucket("VAULT_STORAGE", STORAGE)
        | {
            "access_key": env.text("AWS_ACCESS_KEY_ID", ""),
            "secret_key": env.text("AWS_SECRET_ACCESS_KEY", ""),
            "region_name": env.text("AWS_REGION", "us-east-1"),
            "addressing_style": "path",  # else a host that the guard has never heard of
            "file_overwrite": True,  # names are ids: the same name is the same file
            "default_acl": None,
            "max_memory_size": 8 << 20,
        },
    }

# --- documents -------------------------------------------------------------------------------
UPLOAD_LIMIT_MB = env.number("VAULT_UPLOAD_LIMIT_MB", 500)
FOLDERS = env.folders("VAULT_FOLDERS")  # below which folders may be watched; none: the home folder
FREE_DISK_MB = env.number("VAULT_FREE_DISK_MB", 200)  # left alone: a full disk stops the database
DATA_UPLOAD_MAX_NUMBER_FILES = 1000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000  # documents ticked in a long list
FILE_UPLOAD_HANDLERS = ["apps.library.receiving.Receiver"]
FILE_UPLOAD_TEMP_DIR = MEDIA_ROOT / "incoming"  # swept of what a crash left there
# What the web server takes at most: above the limit, so that ours is the answer that is read.
REQUEST_LIMIT_BYTES = 2 * UPLOAD_LIMIT_MB << 20
CHUNK_SIZE = env.number("VAULT_CHUNK_SIZE", 1000)  # characters
CHUNK_OVERLAP = env.number("VAULT_CHUNK_OVERLAP", 100)  # characters
PARSE_SECONDS = env.number("VAULT_PARSE_SECONDS", 120)  # without a sign of life
PARSE_MEMORY_MB = env.number("VAULT_PARSE_MEMORY_MB", 2048)

# --- backups ---------------------------------------------------------------------------------
BACKUP_DIR = env.folder("VAULT_BACKUP_FOLDER", DATA_DIR / "backups")
# Hours between two that are made by themselves; where no folder is named, none are.
BACKUP_EVERY = env.number("VAULT_BACKUP_EVERY", 24) if env.text("VAULT_BACKUP_FOLDER", "") else 0
BACKUP_KEEP = max(1, env.number("VAULT_BACKUP_KEEP", 7))  # older ones are deleted

# --- models ----------------------------------------------------------------------------------
OLLAMA_HOST = env.text("OLLAMA_HOST", "")  # empty: a local Ollama if one answers, else our own
CHAT_MODEL = env.text("VAULT_CHAT_MODEL", "")  # empty: the best of what is installed
EMBED_MODEL = env.text("VAULT_EMBED_MODEL", "")  # empty: embeddinggemma with Ollama, else e5
PULL = env.flag("VAULT_PULL", True)  # fetch a first language model where there is none
MODEL_SILENCE = env.number("VAULT_MODEL_SILENCE", 300)  # seconds without a word

# --- answers ---------------------------------------------------------------------------------
LOOK_AGAIN = env.choice("VAULT_LOOK_AGAIN", ("reorder", "reword", "both"))  # a second opinion
LOOK_AGAIN_SECONDS = env.number("VAULT_LOOK_AGAIN_SECONDS", 30)  # then the plain order stands
ANSWERS_AT_ONCE = env.number("VAULT_ANSWERS_AT_ONCE", 4)  # the others wait in a queue
MEMORY = env.number("VAULT_MEMORY", 48_000)  # characters of earlier turns that go along
# Asked only where a person turns the web on for a question; reads pages as html.duckduckgo.com's.
WEB_SEARCH = env.text("VAULT_WEB_SEARCH", "https://html.duckduckgo.com/html/")
HEARTBEAT = env.number("VAULT_HEARTBEAT", 5)  # seconds; how soon a reader's leaving shows
PATIENCE = env.number("VAULT_PATIENCE", 5)  # seconds without a pulse before a writer counts as dead

# --- languages -------------------------------------------------------------------------------
USE_I18N = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LANGUAGE_COOKIE_NAME = "language"
# Each room's words; before those of Django, which translates some of them otherwise.
LOCALE_PATHS = sorted(BASE_DIR.glob("apps/*/locale"))
FORMAT_MODULE_PATH = ["vaultsite.formats"]
TIME_ZONE = "UTC"
USE_TZ = True

# --- progress --------------------------------------------------------------------------------
SESSION_IDLE_SECONDS = env.number("VAULT_SESSION_IDLE_SECONDS", 900)  # a longer gap ends a session
SESSION_MINIMUM_SECONDS = env.number("VAULT_SESSION_MINIMUM_SECONDS", 60)  # of a single act

# --- cards -----------------------------------------------------------------------------------
CARD_RETENTION = env.number("VAULT_CARD_RETENTION", 90)  # per cent remembered when a card is due
NEW_CARDS_A_DAY = env.number("VAULT_NEW_CARDS_A_DAY", 20)  # so that reviews do not pile up later
# The 21 weights of FSRS-6 with commas, from an optimiser; empty: those of 350 million reviews.
FSRS_PARAMETERS = env.text("VAULT_FSRS_PARAMETERS", "")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # Each of these brings a handler of its own, and would say everything twice.
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django-q": {"handlers": [], "level": "INFO", "propagate": True},
        "waitress.queue": {"level": "ERROR"},  # warns of each request that waits at all
        "mcp": {"level": "WARNING"},  # tells every message of an assistant
        "httpx": {"level": "WARNING"},  # tells every request to the models
    },
}
