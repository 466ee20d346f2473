import { resolve } from 'node:path';
import { restoreBackup } from './backup/read-backup.ts';
import { writeBackup } from './backup/write-backup.ts';
import { ConfigError } from '../shared/config.ts';
import { checkEncryptionKeys } from '../shared/keys/encryption-keys.ts';
import { createKeyCipher } from '../shared/keys/key-cipher.ts';
import { AdminError, type Command } from './command.ts';

const secretsHint =
  'API keys in it are encrypted with KEY_ENCRYPTION_KEYS: keep those (secrets.json of QUARRY_HOME) too, at another place.';

const create: Command = {
  options: ['to'],
  anySchema: true,
  async run({ databaseUrl }, options) {
    const file = resolve(String(options['to']));
    const tables = await writeBackup(databaseUrl, file);
    const rows = [...tables.values()].reduce((sum, count) => sum + count, 0);
    return {
      json: { file, rows, tables: Object.fromEntries(tables) },
      text: `${file} has ${rows} rows of ${tables.size} tables. ${secretsHint}`,
    };
  },
};

const restore: Command = {
  options: ['from'],
  anySchema: true,
  async run({ db, databaseUrl, config }, options) {
    const file = resolve(String(options['from']));
    const cipher = createKeyCipher(config.KEY_ENCRYPTION_KEYS);
    const { rows, createdAt } = await restoreBackup(databaseUrl, file);
    await checkEncryptionKeys(db, cipher).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      throw new AdminError(
        `${rows} rows are restored, but not the secrets that belong to them. ${error.message}`,
      );
    });
    return {
      json: { file, rows, createdAt },
      text: `${rows} rows as they were at ${createdAt} are restored. Start the service.`,
    };
  },
};

export const backupCommands: Record<string, Command> = { 'backup create': create, 'backup restore': restore };
