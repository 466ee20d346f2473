const paths = /^\/(?:w|videos\/watch|videos\/embed)\/([\w-]{20,36})\/?(?:;[^/]*)?$/;
const idForm = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[1-9A-HJ-NP-Za-km-z]{20,22})$/;

/** Any instance (`;threadId=1` names a comment): the form of the path tells it, and then its answer. Playlists (`/w/p/…`) are none. */
export function findPeertubeId(url: URL): string | null {
  const id = paths.exec(url.pathname)?.[1] ?? null;
  return id !== null && idForm.test(id) ? id : null;
}
