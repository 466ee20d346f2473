/**
 * The reaper's own program (see reaper.ts): reads JSON lines on standard input, and when that ends, kills and
 * deletes what is still on its list.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { deleteFolder } from './delete-folder.ts';
import { killGroup } from './kill-group.ts';

interface Message {
  watch?: string;
  forget?: string;
  groupId?: number;
}

/** Folder to process group; null while its program is starting. */
const watched = new Map<string, number | null>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  if (message.watch) watched.set(message.watch, message.groupId ?? null);
  if (message.forget) watched.delete(message.forget);
}

for (const [folder, groupId] of watched) {
  if (groupId !== null && isStillOurs(groupId, folder)) killGroup(groupId);
}
// Dying processes may still write into their folder, so deleting is tried again until it stays gone.
for (let attempt = 0; attempt < 20; attempt++) {
  const results = await Promise.allSettled([...watched.keys()].map((folder) => deleteFolder(folder)));
  if (attempt >= 2 && results.every((result) => result.status === 'fulfilled')) break;
  await sleep(100);
}

/** The kernel may have given the number to someone else, but not while the group has members. */
function isStillOurs(groupId: number, folder: string): boolean {
  const command = readOf(groupId, 'cmdline');
  if (command === null || command === '') return true;
  return command.includes(folder) || readOf(groupId, 'environ')?.includes(folder) === true;
}

/** Null where there is no such process, or it is not ours to read. */
function readOf(pid: number, file: 'cmdline' | 'environ'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return null;
  }
}
