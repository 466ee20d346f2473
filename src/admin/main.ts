import { parseArgs } from 'node:util';
import { type Answer, runCommand } from '../embedded/run-command.ts';
import { withDatabase } from '../embedded/with-database.ts';
import { readAccountConfig } from '../shared/config.ts';
import { createDb } from '../shared/db/client.ts';
import { refuseOldSchema } from '../shared/db/refuse-schema.ts';
import { AdminError } from './command.ts';
import { commands } from './commands.ts';

function usageOf(name: string): string {
  const options = commands[name]?.options.map((option) => {
    const plain = option.replace(/[?!]$/, '');
    if (option.endsWith('!')) return `[--${plain}]`;
    const placeholder = `--${plain} ${plain.toUpperCase()}`;
    return option.endsWith('?') ? `[${placeholder}]` : placeholder;
  });
  return ['npm run -s admin --', name, ...(options ?? []), '[--json]'].join(' ');
}

function usage(): string {
  return `Usage:\n${Object.keys(commands)
    .map((name) => `  ${usageOf(name)}`)
    .join('\n')}`;
}

function readCommand(args: readonly string[]) {
  const name = args.slice(0, 2).join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw new AdminError(
      `${args.length === 0 ? 'Name a command.' : `There is no command "${name}".`}\n${usage()}`,
    );
  const options = Object.fromEntries(
    [...command.options, 'json!'].map((option) => [
      option.replace(/[?!]$/, ''),
      { type: option.endsWith('!') ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    const { values } = parseArgs({ args: args.slice(2), options, strict: true });
    const missing = command.options.filter((option) => !/[?!]$/.test(option) && values[option] === undefined);
    if (missing.length === 0) return { command, values };
    throw new AdminError(`Missing: ${missing.map((option) => `--${option}`).join(', ')}.`);
  } catch (error) {
    throw new AdminError(`${(error as Error).message}\nUsage: ${usageOf(name)}`);
  }
}

async function run(args: readonly string[]): Promise<Answer> {
  const { command, values } = readCommand(args);
  return await withDatabase(process.env, async ({ databaseUrl, secrets }) => {
    const db = createDb({ url: databaseUrl, poolSize: 2, onError: () => undefined });
    try {
      const config = readAccountConfig({ ...process.env, ...secrets });
      if (!command.anySchema) await refuseOldSchema(db);
      return await command.run({ db, databaseUrl, config }, values);
    } finally {
      await db.destroy();
    }
  });
}

await runCommand(run, (error) => error instanceof AdminError);
