import type { Job } from './types.js';

export interface WebhookEvent {
  /** `job.succeeded`, `job.failed` and so on. */
  type: string;
  timestamp: string;
  data: Job;
}

/** The signature, its time or the body is not what the service has sent. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

const toleranceSeconds = 300;

type HeaderSource = Headers | Readonly<Record<string, string | string[] | undefined>>;

function headerOf(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookError(`The header ${name} is missing.`);
}

/** @returns null where it is no base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

async function toKey(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new WebhookError('The secret is not one of `GET /api/webhooks/secret`.');
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/**
 * Checks a webhook (Standard Webhooks) before anything of it is believed.
 * @param secret `whsec_…`, as `GET /api/webhooks/secret` answers it.
 * @param headers of the request, their names in lower case where it is an object.
 * @param body as it came, letter by letter.
 * @throws WebhookError
 */
export async function verifyWebhook(
  secret: string,
  headers: HeaderSource,
  body: string,
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookError('The webhook was signed more than five minutes ago, or will be.');
  }
  const key = await toKey(secret);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures) {
    const [version, text = ''] = signature.split(',');
    const bytes = version === 'v1' ? fromBase64(text) : null;
    if (bytes !== null && (await crypto.subtle.verify('HMAC', key, bytes, signed))) {
      return JSON.parse(body) as WebhookEvent;
    }
  }
  throw new WebhookError('No signature of the webhook is valid.');
}
