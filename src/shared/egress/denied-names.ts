// Not delegated in the public DNS, or delegated only for use inside a network.
const localSuffixes = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'intra',
  'corp',
  'home',
  'lan',
  'private',
  'onion',
  'i2p',
  'alt',
  'arpa',
  'svc',
  'consul',
  'docker',
  'cluster.local',
];

// Cloud metadata under names that the public DNS could answer for.
const metadataNames = new Set([
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.cloud.ibm.com',
  'api.metadata.cloud.ibm.com',
]);

const maxLabelLength = 63;
const maxNameLength = 253;

/** Whether a canonical (lower-case, punycode) name can only mean something inside a network, or is no name at all. */
export function isDeniedName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  if (name.length > maxNameLength) return true;
  const labels = name.split('.');
  if (labels.length < 2 || labels.some((label) => label === '' || label.length > maxLabelLength)) return true;
  if (metadataNames.has(name)) return true;
  return localSuffixes.some((suffix) => name.endsWith(`.${suffix}`));
}
