import { readDatabaseUrl } from '../config.ts';
import { migrate } from './migrate.ts';

const applied = await migrate(readDatabaseUrl());
console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
