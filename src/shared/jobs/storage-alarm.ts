import type { Redis } from 'ioredis';
import { redisPrefix } from '../redis.ts';

const alarmKey = `${redisPrefix}:storage-down`;
/** Longer than the pause between two attempts to store, so that it stands until one succeeds. */
const alarmMs = 1_000;

/** Tells that a result could not be stored, so that nothing is accepted whose result could not be kept either. */
export async function raiseStorageAlarm(redis: Redis): Promise<void> {
  await redis.set(alarmKey, 'raised', 'PX', alarmMs);
}

export async function isStorageDown(redis: Redis): Promise<boolean> {
  return (await redis.exists(alarmKey)) === 1;
}
