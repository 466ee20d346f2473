/** What the browser needs of a logger; pino fits. */
export interface BrowserLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export const silentLog: BrowserLog = { info() {}, warn() {} };
