import { registrableDomainOf } from '../../shared/schemas/seo.ts';
import type { JobContext } from '../handler.ts';

/** The registrable domain of what was asked; where it was asked for a part of it, a warning says so. */
export function readDomain(asked: string, job: Pick<JobContext, 'warn'>): string {
  const domain = registrableDomainOf(asked);
  const url = URL.parse(asked.includes('://') ? asked : `http://${asked.trim()}`);
  const hostname = url?.hostname.replace(/^\.|\.$/g, '') ?? domain;
  if (hostname !== domain && hostname !== `www.${domain}`) {
    job.warn(
      'registrable_domain',
      `The figures are of ${domain} with all its subdomains, of which ${hostname} is one.`,
    );
  }
  return domain;
}
