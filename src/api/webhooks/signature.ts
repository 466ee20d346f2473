import { createHmac } from 'node:crypto';

export interface SignedMessage {
  id: string;
  /** Of this attempt. */
  at: Date;
  body: string;
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over id, seconds and body, one
 * signature of each secret.
 * @param secrets `whsec_` and base64.
 */
export function signatureHeaders(
  { id, at, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1_000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
