import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A TCP way to a store on loopback, for faults that only the way can have. */
export interface Wire extends AsyncDisposable {
  /** The store's URL by this way. */
  url: string;
  /** Nothing passes any more, in both directions; what was sent arrives when it passes again. */
  hang(): void;
  pass(): void;
  /** Breaks every connection; new ones pass. */
  cut(): void;
}

/** @param between what requests go through on their way. */
export async function startWire(storeUrl: string, between?: () => Transform): Promise<Wire> {
  const url = new URL(storeUrl);
  const storePort = Number(url.port);
  const sockets = new Set<Socket>();
  let hangs = false;

  function join(from: Socket, to: Socket, through?: Transform): void {
    sockets.add(from);
    if (through === undefined) from.pipe(to);
    else from.pipe(through).pipe(to);
    from.on('error', () => undefined);
    from.once('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    if (hangs) from.pause();
  }

  const server = createServer((client) => {
    const store = connect(storePort, '127.0.0.1');
    join(client, store, between?.());
    join(store, client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url.port = String((server.address() as AddressInfo).port);
  url.search = ''; // no Unix socket beside it

  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    cut,
    url: url.href,
    hang() {
      hangs = true;
      for (const socket of sockets) socket.pause();
    },
    pass() {
      hangs = false;
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server.close(), 'close');
      cut();
      await closed;
    },
  };
}

/** Bytes of the first whole command of a client of Redis (an array of bulk strings), and its name. */
function readCommand(bytes: Buffer): { length: number; name: string } | null {
  const lineAt = (start: number) => {
    const end = bytes.indexOf('\r\n', start);
    return end === -1 ? null : { value: Number(bytes.toString('latin1', start + 1, end)), next: end + 2 };
  };
  const head = lineAt(0);
  let name = '';
  let at = head?.next ?? bytes.length + 1;
  for (let n = 0; n < (head?.value ?? 0); n++) {
    const part = lineAt(at);
    if (part === null) return null;
    if (n === 0) name = bytes.toString('latin1', part.next, part.next + part.value).toUpperCase();
    at = part.next + part.value + 2;
  }
  return at > bytes.length ? null : { length: at, name };
}

const writes = /^(SET|RPUSH|LPUSH|XADD|ZADD|SADD|HSET|HMSET|INCR|EVAL|EVALSHA)$/;
const oom = "OOM command not allowed when used memory > 'maxmemory'.";
const script = `return redis.error_reply("${oom}")`;
const refusedWrite = `*3\r\n$4\r\nEVAL\r\n$${script.length}\r\n${script}\r\n$1\r\n0\r\n`;

/** For `startWire`: while `isFull`, a Redis answers writes as one that has reached its `maxmemory` does. */
export function refuseWrites(isFull: () => boolean): Transform {
  let open = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      open = Buffer.concat([open, chunk]);
      for (let command = readCommand(open); command !== null; command = readCommand(open)) {
        this.push(isFull() && writes.test(command.name) ? refusedWrite : open.subarray(0, command.length));
        open = open.subarray(command.length);
      }
      done();
    },
  });
}
