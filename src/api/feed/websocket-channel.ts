import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type EndReason, type FeedChannel, lastWordsMs } from './channel.ts';
import { FeedMessage } from './messages.ts';

/** RFC 6455, 7.4: policy violation, try again later, going away. */
const closeCodes: Record<EndReason, number> = { refused: 1008, invalid: 1008, slow: 1013, stopping: 1001 };

/** Heartbeats without an answer after which a client is gone; one that has still to read what was before them gets longer. */
const mostUnheard = { idle: 2, behind: 40 };

export function createWebSocketChannel(socket: Duplex, webSocket: WebSocket): FeedChannel {
  let unheard = 0;
  for (const sign of ['pong', 'message']) {
    webSocket.on(sign, () => {
      unheard = 0;
    });
  }
  return {
    send(messages) {
      // One write for all: a write costs more than a message.
      socket.cork();
      for (const message of messages) webSocket.send(message.text, { binary: false });
      socket.uncork();
    },
    get bufferedBytes() {
      return webSocket.bufferedAmount;
    },
    heartbeat(seq) {
      if (unheard >= (webSocket.bufferedAmount === 0 ? mostUnheard.idle : mostUnheard.behind)) {
        webSocket.terminate();
        return;
      }
      unheard += 1;
      webSocket.ping();
      // Pages do not see pings.
      if (seq !== null) webSocket.send(new FeedMessage({ type: 'heartbeat', seq }).text, { binary: false });
    },
    end(last, why) {
      webSocket.send(last.text, { binary: false });
      webSocket.close(closeCodes[why]);
      const timer = setTimeout(() => webSocket.terminate(), lastWordsMs[why]);
      webSocket.once('close', () => clearTimeout(timer));
    },
  };
}
