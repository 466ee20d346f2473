import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batchWrite } from '../../src/shared/batch-write.ts';

const gone = Object.assign(new Error('It is gone'), { code: 'ECONNRESET' });

test('what arrives while a statement is under way shares the next one', async () => {
  const groups: (readonly string[])[] = [];
  const add = batchWrite(async (items: readonly string[]) => {
    groups.push(items);
    await sleep(5);
    return items.map((item) => item.toUpperCase());
  });
  const first = add('a');
  await new Promise(setImmediate);
  expect(await Promise.all([first, add('b'), add('c')])).toEqual(['A', 'B', 'C']);
  expect(groups).toEqual([['a'], ['b', 'c']]);
});

test('what one turn of the event loop brings shares a statement', async () => {
  const groups: (readonly string[])[] = [];
  const add = batchWrite((items: readonly string[]) => {
    groups.push(items);
    return Promise.resolve(items);
  });
  const added: Promise<string>[] = [];
  await new Promise<void>((resolve) => {
    setImmediate(() => added.push(add('a')));
    setImmediate(() => {
      added.push(add('b'));
      resolve();
    });
  });
  await Promise.all(added);
  expect(groups).toEqual([['a', 'b']]);
});

test('one bad item does not fail its neighbours', async () => {
  const add = batchWrite((items: readonly string[]) =>
    items.includes('bad') ? Promise.reject(new Error('bad')) : Promise.resolve(items),
  );
  const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map(add));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

/** `a` and `b` are one group; `c` waits when their statement fails. */
async function failFirst(before: Promise<unknown>): Promise<unknown[]> {
  let runs = 0;
  const add = batchWrite(async (items: readonly string[]) => {
    if (runs++ > 0) return items;
    await before;
    throw gone;
  });
  const first = ['a', 'b'].map((item) => add(item).catch((error: unknown) => error));
  await new Promise(setImmediate);
  return await Promise.all([...first, add('c').catch((error: unknown) => error)]);
}

test('where one connection to Postgres breaks, its group fails and those that wait go on', async () => {
  expect(await failFirst(sleep(5))).toEqual([gone, gone, 'c']);
});

test('where Postgres is silent, those that wait fail too', async () => {
  expect(await failFirst(sleep(1_100))).toEqual([gone, gone, gone]);
});

test('where Postgres falls silent while a group is tried one by one, the rest of it fails with the first', async () => {
  const tried: (readonly string[])[] = [];
  const add = batchWrite(async (items: readonly string[]): Promise<readonly string[]> => {
    tried.push(items);
    if (items.length > 1) throw new Error('one of them is bad');
    await sleep(1_100);
    throw gone;
  });
  const outcomes = await Promise.all(
    ['a', 'b', 'c'].map((item) => add(item).catch((error: unknown) => error)),
  );
  expect(outcomes).toEqual([gone, gone, gone]);
  expect(tried).toEqual([['a', 'b', 'c'], ['a']]);
});
