import { ChromiumStartError, LaunchedChromium, type LaunchOptions } from './launched-chromium.ts';
import type { BrowserLog } from './log.ts';

/** `auto`: on where the kernel allows it. `require`: no Chromium without it. */
export type SandboxPolicy = 'require' | 'auto' | 'off';

/** @throws Error where the policy requires a sandbox that there cannot be; ChromiumStartError. */
export async function launchBySandboxPolicy(
  launch: Omit<LaunchOptions, 'sandbox'>,
  policy: SandboxPolicy,
  log: Pick<BrowserLog, 'warn'>,
): Promise<LaunchedChromium> {
  const staysRoot = process.getuid?.() === 0 && launch.account === undefined;
  if (policy !== 'off' && !staysRoot) {
    try {
      return await LaunchedChromium.launch({ ...launch, sandbox: true });
    } catch (error) {
      // Only what says that there can be no sandbox here: any other failure is no reason to go without.
      if (policy === 'require' || !(error instanceof ChromiumStartError && error.lacksSandbox)) throw error;
    }
  }
  const reason =
    policy === 'off'
      ? 'BROWSER_SANDBOX=off'
      : staysRoot
        ? 'this process is root and cannot become another user, and Chromium has no sandbox as root'
        : 'the kernel does not let it make user namespaces';
  if (policy === 'require') throw new Error(`BROWSER_SANDBOX=require, and ${reason}`);
  log.warn(
    { reason },
    'Chromium runs without its sandbox: a page that breaks out of it has its user’s rights',
  );
  return await LaunchedChromium.launch({ ...launch, sandbox: false });
}
