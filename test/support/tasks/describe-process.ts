/** The process that runs it, and what it knows of its environment. */
export default () => ({ pid: process.pid, environment: Object.keys(process.env) });
