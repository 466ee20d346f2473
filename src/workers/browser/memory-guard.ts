import type { Room } from './chromium-keeper.ts';
import type { BrowserLog } from './log.ts';

/** A look reads some files of each process; a page takes a gigabyte in a quarter of a second. */
const calmMs = 500;
const alertMs = 100;
/** Of the bound: past it, looks come at shorter intervals. */
const alertShare = 0.25;
/** Of the bound: one page that holds more is at fault itself. */
const faultShare = 0.5;
/** Of the bound: past it, a Chromium that is to end with its last job does not wait for that. */
const lastShare = 1.5;

export interface MemoryGuardOptions {
  rooms: ReadonlySet<Room>;
  /** Of one Chromium's whole process tree. */
  limitBytes: number;
  log: BrowserLog;
  /** Takes no new job, and ends with its last. */
  retire(room: Room, reason: string): void;
  /** Ends at once, with all its jobs. */
  replace(room: Room, reason: string): void;
}

/**
 * Holds each Chromium to its bound. A page past it is ended alone when it is the one at fault; otherwise Chromium
 * is replaced: once its jobs have ended or, where they go on taking memory, at once.
 */
export function startMemoryGuard(options: MemoryGuardOptions): Disposable {
  const { rooms, limitBytes } = options;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const totals = [...rooms].map((room) => checkRoom(room, options));
    const isCalm = Math.max(0, ...totals) < limitBytes * alertShare;
    timer = setTimeout(look, isCalm ? calmMs : alertMs).unref();
  };
  timer = setTimeout(look, calmMs).unref();
  return {
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** @returns the bytes that its process tree holds. */
function checkRoom(room: Room, { limitBytes, log, retire, replace }: MemoryGuardOptions): number {
  const { totalBytes, largestRenderer } = room.chromium.readMemory();
  if (totalBytes <= limitBytes) return totalBytes;
  if (largestRenderer && largestRenderer.bytes > limitBytes * faultShare) {
    const { pid, bytes: pageBytes } = largestRenderer;
    // A process that is ending still holds its memory for a moment.
    if (room.endedForMemory?.pid === pid) return totalBytes;
    log.warn({ totalBytes, pageBytes }, 'A page takes too much memory; ended');
    room.endedForMemory = { pid, at: performance.now(), isHeard: false };
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  } else if (totalBytes > limitBytes * lastShare) replace(room, 'it holds far too much memory');
  else retire(room, 'it holds too much memory');
  return totalBytes;
}
