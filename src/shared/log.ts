import { destination, type Logger, pino, stdTimeFunctions } from 'pino';

/** A key can never appear in a log: whatever was logged, this is replaced in the finished line. */
const keyText = /svc_live_[0-9A-Za-z]{6,}/g;

export interface LogOptions {
  level: string;
  /** `api`, `worker`, … */
  name: string;
  write?: (line: string) => void;
}

export function createLog({ level, name, write }: LogOptions): Logger {
  const out = write === undefined ? destination({ dest: 1, sync: false }) : null;
  return pino(
    { level, name, timestamp: stdTimeFunctions.isoTime, base: { name, pid: process.pid } },
    {
      write(line: string) {
        const clean = line.replace(keyText, 'svc_live_[redacted]');
        if (out === null) write?.(clean);
        else out.write(clean);
      },
    },
  );
}
