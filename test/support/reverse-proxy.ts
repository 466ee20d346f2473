import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createProxyServer } from 'httpxy';

export interface ReverseProxy extends AsyncDisposable {
  url: string;
}

/** Before several APIs, each in its turn; one that does not answer is passed over. @param targets `http://127.0.0.1:port` */
async function startNodeProxy(targets: readonly string[]): Promise<ReverseProxy> {
  const proxy = createProxyServer({ xfwd: true });
  let turn = 0;
  const ordered = () => {
    turn++;
    return targets.map((_, at) => targets[(turn + at) % targets.length] ?? '');
  };
  async function firstThatAnswers(): Promise<string> {
    for (const target of ordered()) {
      const { hostname, port } = new URL(target);
      const socket = connect(Number(port), hostname);
      const isUp = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (isUp) return target;
    }
    throw new Error('No API answers');
  }
  const server = createServer((request, response) => {
    void firstThatAnswers()
      .then((target) => proxy.web(request, response, { target }))
      .catch(() => response.writeHead(502).end());
  });
  server.on('upgrade', (request, socket, head) => {
    void firstThatAnswers()
      .then((target) => proxy.ws(request, socket as Socket, { target, xfwd: true }, head))
      .catch(() => socket.destroy());
  });
  proxy.on('error', (_error, _request, response) => {
    if (response !== undefined && 'writeHead' in response && !response.headersSent) response.writeHead(502);
    response?.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const nginx = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'nginx'))
  .find((path) => existsSync(path));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** As in docs/operating.md, beside the folders that a process without rights needs. */
const configuration = (folder: string, port: number, targets: readonly string[]) => `
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  upstream quarry {
    ${targets.map((target) => `server ${new URL(target).host} max_fails=0;`).join(' ')}
    keepalive 32;
    keepalive_timeout 60s;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://quarry;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_read_timeout 130s;
    }
  }
}`;

async function startNginx(targets: readonly string[]): Promise<ReverseProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, port, targets));
  const args = ['-c', file, '-p', folder, '-e', join(folder, 'error.log'), '-g', 'daemon off;'];
  const child = spawn(nginx ?? 'nginx', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    if (answer !== null || child.exitCode !== null) break;
    await sleep(100);
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      const exited = child.exitCode === null ? once(child, 'exit') : null;
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One of npm, and nginx where it is on PATH. */
export const reverseProxies: readonly {
  name: string;
  start(targets: readonly string[]): Promise<ReverseProxy>;
}[] = [
  { name: 'httpxy', start: startNodeProxy },
  ...(nginx === undefined ? [] : [{ name: 'nginx', start: startNginx }]),
];
