import { redactKeys } from './keys/key-text.ts';
import { destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';

export interface LogOptions {
  level: string;
  /** `api`, `worker`, … */
  name: string;
  write?: (line: string) => void;
}

/** Lines are written together; a kill -9 may lose those of the last moment. */
const flushEveryMs = 200;

/** An error of Redis carries its whole command: scripts of many kilobytes, passwords. */
const withoutCommand = (error: Error) => ({ ...stdSerializers.err(error), command: undefined });

export function createLog({ level, name, write }: LogOptions): Logger {
  const out =
    write === undefined
      ? destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: flushEveryMs })
      : null;
  return pino(
    {
      level,
      name,
      timestamp: stdTimeFunctions.isoTime,
      base: { name, pid: process.pid },
      serializers: { err: withoutCommand },
    },
    {
      write(line: string) {
        // In the finished line, so that no way of logging a key gets past.
        const clean = redactKeys(line);
        if (out === null) write?.(clean);
        else out.write(clean);
      },
    },
  );
}
