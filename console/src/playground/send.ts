import type { PlaygroundRequest } from './request.ts';

export interface Answer {
  status: number;
  ms: number;
  /** Of the hourly allowance; null where the call is not counted. */
  remaining: number | null;
  /** As JSON; null where the answer is none. */
  body: unknown;
  /** As it is to be read; null of what is no text. */
  text: string | null;
  /** Media type, without its parameters. */
  type: string;
}

/** A stream may have no end; more of it than this is not looked at. */
const mostCharacters = 1_000_000;

/** Hands over what has come so far, again and again. */
async function readText(response: Response, onText: (text: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return;
    text += part.value;
    onText(text);
    if (text.length > mostCharacters) return void (await reader?.cancel());
  }
}

/**
 * @param onAnswer is handed the answer, more than once where it comes bit by bit.
 * @throws TypeError where the service cannot be reached.
 */
export async function send(
  { method, path, body, accept }: PlaygroundRequest,
  key: string | null,
  signal: AbortSignal,
  onAnswer: (answer: Answer) => void,
): Promise<void> {
  const start = performance.now();
  const response = await fetch(path, {
    method,
    signal,
    credentials: 'same-origin',
    headers: {
      Accept: accept,
      ...(key === null ? {} : { 'X-API-Key': key }),
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const [type = ''] = (response.headers.get('Content-Type') ?? '').split(';');
  const left = /r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1];
  const tell = (parts: { body: unknown; text: string | null }) =>
    onAnswer({
      status: response.status,
      ms: Math.round(performance.now() - start),
      remaining: left === undefined ? null : Number(left),
      type,
      ...parts,
    });
  if (type.endsWith('json')) {
    const answer: unknown = await response.json();
    tell({ body: answer, text: JSON.stringify(answer, null, 2) });
  } else if (type === 'text/event-stream') {
    tell({ body: null, text: '' });
    await readText(response, (text) => tell({ body: null, text }));
  } else if (type === '' || type.startsWith('text/')) {
    tell({ body: null, text: await response.text() });
  } else {
    // Pictures and videos: they are looked at by their address.
    await response.body?.cancel();
    tell({ body: null, text: null });
  }
}
