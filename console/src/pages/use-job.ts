import type { Envelope, Job } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useJobChanges } from '../api/job-feed.ts';
import { type Loaded, useLoad } from '../api/use-load.ts';
import { isLive } from './job-table.tsx';

const goesOn = ({ data }: Envelope<Job>) => isLive(data);

/** A job and its changes. One that has ended, and may have a large result, is asked for again by its reader only. */
export function useJob(id: string, everyMs: number): Loaded<Envelope<Job>> {
  const loaded = useLoad(
    (signal) => call<Envelope<Job>>(`/api/proxy/jobs/${id}`, { signal }),
    [id],
    everyMs,
    goesOn,
  );
  useJobChanges(() => {
    if (loaded.data === null || goesOn(loaded.data)) loaded.refresh();
  });
  return loaded;
}
