# One image for web and worker; alone it runs the whole vault: docker run -v vault:/data …
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    VAULT_DATA=/data VAULT_HOST=0.0.0.0 VAULT_PORT=8000
RUN useradd --create-home --uid 1000 vault \
    && install -d -o vault -g vault -m 700 /data /backups

WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir --disable-pip-version-check -r requirements.txt "django-storages[boto3]>=1.14,<2"
COPY manage.py LICENSE ./
COPY vaultsite vaultsite
COPY apps apps
COPY templates templates
COPY static static
RUN python -m compileall -q vaultsite apps

USER vault
VOLUME ["/data", "/backups"]
EXPOSE 8000
CMD ["python", "manage.py", "up"]
