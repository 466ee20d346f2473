/**
 * The program of one run of Lighthouse (see run-lighthouse.ts): is told what to measure, launches a Chromium in its own
 * process group, answers once, and waits to be killed with all that it has started.
 */
import { AppError } from '../../../shared/errors.ts';
import type { MeasureOrder, MeasureReply } from './messages.ts';
import { measurePage } from './measure-page.ts';
import { toFailure } from './read-report.ts';

const reply = (message: MeasureReply) => void process.send?.(message);

const isLighthouseError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && error.name === 'LighthouseError' && 'code' in error;

async function answer(order: MeasureOrder): Promise<void> {
  try {
    reply({ kind: 'measured', measured: await measurePage(order) });
  } catch (error) {
    const failure = isLighthouseError(error) ? toFailure(error) : error;
    if (failure instanceof AppError) reply({ kind: 'refused', code: failure.code, detail: failure.detail });
    else {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      reply({ kind: 'failed', message, stack });
    }
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// The worker is gone: its reaper ends our whole group in a moment.
process.on('disconnect', () => process.exit());
// A page that is lost makes commands fail that nobody waits for any more.
process.on('unhandledRejection', () => undefined);
process.on('message', (order: MeasureOrder) => void answer(order));
