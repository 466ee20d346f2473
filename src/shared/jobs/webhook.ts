/** Where the end of a job is told, as its row keeps it. */
export interface JobWebhook {
  url: string;
  /** Scheme, host and port of the URL: what is asked too often, or does not answer, as a whole. */
  receiver: string;
  /** Scheme and host that links in the message are made for. */
  origin: string;
}

export function createJobWebhook(url: URL, origin: string): JobWebhook {
  return { url: url.href, receiver: url.origin, origin };
}
