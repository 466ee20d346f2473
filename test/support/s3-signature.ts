import { createHash, createHmac } from 'node:crypto';

/** A request as its server got it. */
export interface SignedRequest {
  method: string;
  /** Path and query. */
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** AWS Signature Version 4 of a request with an Authorization header, by the secret. Null: it is not signed. */
export function findSignature({ method, url, headers }: SignedRequest, secret: string) {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(
      headers['authorization'] ?? '',
    );
  if (match === null) return null;
  const [, keyId = '', date = '', region = '', signed = '', given = ''] = match;
  const [path = '', query = ''] = url.split('?');
  const pairs = query === '' ? [] : query.split('&').map((pair) => (pair.includes('=') ? pair : `${pair}=`));
  const canonical = [
    method,
    path,
    pairs.toSorted().join('&'),
    ...signed.split(';').map((name) => `${name}:${(headers[name] ?? '').trim()}`),
    '',
    signed,
    headers['x-amz-content-sha256'] ?? '',
  ].join('\n');
  const text = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'] ?? '',
    `${date}/${region}/s3/aws4_request`,
    sha256(canonical),
  ].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), 's3'), 'aws4_request');
  return { keyId, given, expected: hmac(key, text).toString('hex') };
}
