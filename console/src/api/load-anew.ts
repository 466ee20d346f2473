const loadedKey = 'quarry.loaded-anew';
const onceInMs = 60_000;

/** Loads the console again, unless the service is down: in place of the page there would be nothing. */
export async function loadAnew(): Promise<void> {
  const { ok } = await fetch('/', { method: 'HEAD' }).catch(() => ({ ok: false }));
  if (!ok) return;
  sessionStorage.setItem(loadedKey, String(Date.now()));
  location.reload();
}

/** The same by itself, once in a while only: a part that never comes would have the page load for ever. */
export async function loadAnewOnce(): Promise<void> {
  if (Date.now() - Number(sessionStorage.getItem(loadedKey) ?? 0) > onceInMs) await loadAnew();
}
