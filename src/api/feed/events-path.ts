export const eventsPath = '/api/proxy/events';
