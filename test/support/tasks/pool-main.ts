/** A worker whose task runs for ever; says the task's process. */
import { createTaskPool } from '../../../src/shared/tasks/task-pool.ts';
import { defineTask } from '../../../src/shared/tasks/task.ts';
import type describeProcess from './describe-process.ts';
import type neverEnd from './never-end.ts';

const pool = createTaskPool({ processes: 1 });
const asked = { owner: 'a', signal: new AbortController().signal };
const describeTask = defineTask<typeof describeProcess>(new URL('./describe-process.ts', import.meta.url));
const neverEndTask = defineTask<typeof neverEnd>(new URL('./never-end.ts', import.meta.url));
const { pid } = await pool.run(describeTask, undefined, asked);
const endless = pool.run(neverEndTask, undefined, asked);
process.stdout.write(`${pid}\n`);
await endless;
