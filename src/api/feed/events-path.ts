export const eventsPath = '/api/proxy/events';
/** Of one user in one process: each may hold some megabytes that its client has not read. */
export const mostConnections = 200;
