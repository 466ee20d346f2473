import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What `--expose-gc` offers. */
interface Collection {
  type: 'minor' | 'major';
  /** `last-resort` also gives back the pages that V8 keeps for its next young generation. */
  flavor?: 'last-resort';
}

setFlagsFromString('--expose-gc');
/** Nothing else runs in the process meanwhile. */
export const collectGarbage = runInNewContext('gc') as (collection: Collection) => void;
setFlagsFromString('--no-expose-gc');
