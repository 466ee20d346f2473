import type { ReactNode } from 'react';
import type { Loaded } from '../api/use-load.ts';
import { Loading } from './page.tsx';

/** Shows what was loaded; nothing where that has failed, which is told by `Failure`. */
export function WhenLoaded<Data>({
  from: { data, loading },
  children,
}: {
  from: Loaded<Data>;
  children(data: Data): ReactNode;
}) {
  if (data === null) return loading ? <Loading /> : null;
  return children(data);
}
