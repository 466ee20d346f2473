export type ChildEnvironment = Record<string, string> & { PATH: string };

/** What a process that runs foreign code may have of ours: where programs are, the time zone, compiled code. */
export function readChildEnvironment(env: NodeJS.ProcessEnv = process.env): ChildEnvironment {
  const { PATH = '/usr/bin:/bin', TZ, NODE_COMPILE_CACHE } = env;
  return { PATH, ...(TZ && { TZ }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
