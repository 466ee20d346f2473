import { expect, test } from 'vitest';
import { createId, idNotBefore, isId } from '../../src/shared/ids.ts';

test('ids are UUIDs that sort by when they were made, each made once', () => {
  const before = idNotBefore(Date.now());
  const ids = Array.from({ length: 20_000 }, createId);
  expect(ids.filter((id) => !isId(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(ids.toSorted());
  expect(ids[0]! >= before).toBe(true);
  // Their ends are chance.
  expect(new Set(ids.map((id) => id.slice(24))).size).toBe(ids.length);
});
