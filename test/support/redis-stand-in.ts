import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Answers commands of clients of Redis on loopback with what it is given, to misbehave as a real one does rarely. */
export interface RedisStandIn extends AsyncDisposable {
  url: string;
}

/** One whole command, an array of bulk strings, which all are of one byte a character. */
const command = /^\*(\d+)\r\n/;
const part = /^\$(\d+)\r\n/;

function takeCommand(text: string): { words: string[]; rest: string } | null {
  const head = command.exec(text);
  if (head === null) return null;
  let rest = text.slice(head[0].length);
  const words: string[] = [];
  for (let n = 0; n < Number(head[1]); n++) {
    const size = part.exec(rest);
    if (size === null) return null;
    const [start, length] = [size[0].length, Number(size[1])];
    if (rest.length < start + length + 2) return null;
    words.push(rest.slice(start, start + length));
    rest = rest.slice(start + length + 2);
  }
  return { words, rest };
}

export const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;

/** @param answer what it says in its protocol, or null where it never answers; `port` is its own. */
export async function startRedisStandIn(
  answer: (words: string[], port: number) => string | null,
): Promise<RedisStandIn> {
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let taken = takeCommand(text); taken !== null; taken = takeCommand(text)) {
        text = taken.rest;
        const said = answer(taken.words, socket.localPort ?? 0);
        if (said !== null) socket.write(said);
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      await once(server.close(), 'close');
    },
  };
}
