// Tells the server the browser's time zone, so that days are the person's own.
// Without it days follow the zone chosen on the progress page, UTC at first.
const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone || "");
if (zone && !document.cookie.includes(`zone=${zone}`)) {
  document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax`;
}
