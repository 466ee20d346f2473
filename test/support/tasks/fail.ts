import { AppError } from '../../../src/shared/errors.ts';

/** Fails in the way that it is asked to. */
export default function fail(how: 'expected' | 'unexpected' | 'too-deep' | 'exit'): unknown {
  if (how === 'expected') throw new AppError('unsupported_content', 'Of another kind.');
  if (how === 'unexpected') throw new TypeError('no such thing');
  if (how === 'too-deep') return fail(how);
  process.exit(3);
}
