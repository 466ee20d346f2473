import { ConfigError } from '../shared/config.ts';
import { StartError } from './start-error.ts';

export interface Answer {
  /** For `--json`. */
  json: unknown;
  /** The same for people. */
  text: string;
}

/**
 * Runs a command line and writes what it answers, or why it fails: then the process ends with 1.
 * @param isExpected failures that their message explains, besides those of settings and of the start.
 */
export async function runCommand(
  run: (args: readonly string[]) => Promise<Answer>,
  isExpected: (error: Error) => boolean,
): Promise<void> {
  const args = process.argv.slice(2);
  const asJson = args.includes('--json');
  try {
    const { json, text } = await run(args);
    console.log(asJson ? JSON.stringify(json) : text);
  } catch (thrown) {
    const error = thrown as Error;
    const explains = error instanceof StartError || error instanceof ConfigError || isExpected(error);
    const message = explains ? error.message : `Unexpected: ${String(error.stack ?? error)}`;
    if (asJson) console.log(JSON.stringify({ error: message }));
    else console.error(message);
    process.exitCode = 1;
  }
}
