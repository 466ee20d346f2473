import type { Command } from './command.ts';
import { backupCommands } from './backup-commands.ts';
import { keyCommands } from './key-commands.ts';
import { licenseCommands } from './license-commands.ts';
import { userCommands } from './user-commands.ts';

export const commands: Record<string, Command> = {
  ...userCommands,
  ...licenseCommands,
  ...keyCommands,
  ...backupCommands,
};
