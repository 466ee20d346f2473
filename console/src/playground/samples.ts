import type { PlaygroundRequest } from './request.ts';

/** In place of the key: what is copied and pasted elsewhere should not carry it along. */
const keyInShell = '$QUARRY_KEY';

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const isJson = (type: string) => type === 'application/json';

interface Sampled extends PlaygroundRequest {
  origin: string;
  takesKey: boolean;
}

function toCurl({ origin, method, path, body, takesKey }: Sampled): string {
  const lines = [
    `curl -s${method === 'GET' || method === 'POST' ? '' : ` -X ${method}`} ${quote(origin + path)}`,
  ];
  if (takesKey) lines.push(`  -H "X-API-Key: ${keyInShell}"`);
  else lines.push(`  -b "$QUARRY_COOKIE"`);
  if (body !== null)
    lines.push(`  -H 'Content-Type: application/json'`, `  -d ${quote(JSON.stringify(body))}`);
  else if (method === 'POST') lines.push(`  -X POST`);
  return lines.join(' \\\n');
}

function toJavaScript({ origin, method, path, body, takesKey, accept }: Sampled): string {
  const headers = [
    takesKey ? `'X-API-Key': process.env.QUARRY_KEY` : `Cookie: process.env.QUARRY_COOKIE`,
    ...(body === null ? [] : [`'Content-Type': 'application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    `  headers: { ${headers.join(', ')} },`,
    ...(body === null
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
  ];
  return [
    `const response = await fetch('${origin}${path}', {`,
    ...options,
    '});',
    `console.log(response.status, ${isJson(accept) ? 'await response.json()' : 'await response.text()'});`,
  ].join('\n');
}

const python = (value: unknown): string =>
  JSON.stringify(value, null, 4)
    .replaceAll(/(?<=[:[,\s])true(?=[,\n\]}])/g, 'True')
    .replaceAll(/(?<=[:[,\s])false(?=[,\n\]}])/g, 'False')
    .replaceAll(/(?<=[:[,\s])null(?=[,\n\]}])/g, 'None');

function toPython({ origin, method, path, body, takesKey, accept }: Sampled): string {
  const header = takesKey ? `"X-API-Key": os.environ["QUARRY_KEY"]` : `"Cookie": os.environ["QUARRY_COOKIE"]`;
  return [
    'import os, requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    "${origin}${path}",`,
    `    headers={${header}},`,
    ...(body === null ? [] : [`    json=${python(body).replaceAll('\n', '\n    ')},`]),
    ')',
    `print(response.status_code, response.${isJson(accept) ? 'json()' : 'text'})`,
  ].join('\n');
}

/** The same request for a terminal and for programs. */
export const samplesOf = (request: Sampled) => [
  { name: 'curl', text: toCurl(request) },
  { name: 'JavaScript', text: toJavaScript(request) },
  { name: 'Python', text: toPython(request) },
];
