/**
 * The reaper's own program (see reaper.ts): reads JSON lines on standard input, and when that ends, kills and
 * deletes what is still on its list.
 */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { killGroup } from './process-tree.ts';

interface Message {
  watch?: string;
  forget?: string;
  groupId?: number;
}

/** Profile folder to process group; null while its Chromium is starting. */
const watched = new Map<string, number | null>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  if (message.watch) watched.set(message.watch, message.groupId ?? null);
  if (message.forget) watched.delete(message.forget);
}

for (const [profileFolder, groupId] of watched) {
  if (groupId !== null && isStillOurs(groupId, profileFolder)) killGroup(groupId);
}
// Dying processes may still write into the profile, so deleting is tried again until it stays gone.
for (let attempt = 0; attempt < 20; attempt++) {
  const results = await Promise.allSettled(
    [...watched.keys()].map((folder) => rm(folder, { recursive: true, force: true })),
  );
  if (attempt >= 2 && results.every((result) => result.status === 'fulfilled')) break;
  await sleep(100);
}

/** The kernel may have given the number to someone else, but not while the group has members. */
function isStillOurs(groupId: number, profileFolder: string): boolean {
  try {
    const command = readFileSync(`/proc/${groupId}/cmdline`, 'latin1');
    return command === '' || command.includes(profileFolder);
  } catch {
    return true;
  }
}
