import { createHmac, timingSafeEqual } from 'node:crypto';

export const fileVariants = ['original', 'thumbnail'] as const;
export type FileVariant = (typeof fileVariants)[number];

export interface FileLink {
  fileId: string;
  variant: FileVariant;
  /** Seconds since the epoch. */
  expires: number;
}

/** Links that show a stored file to whoever has them, until they expire. Minted for an answer, never stored. */
export interface Links {
  sign(origin: string, fileId: string, variant: FileVariant, expiresAt: Date): string;
  isValid(link: FileLink, signature: string): boolean;
  /** A link that streams what the job `jobId` has found, see tunnel.ts. */
  signTunnel(origin: string, jobId: string, expiresAt: Date): string;
  isTunnelValid(link: TunnelLink, signature: string): boolean;
}

export interface TunnelLink {
  jobId: string;
  /** Seconds since the epoch. */
  expires: number;
}

/** The `expires` of a link, only as it was signed: null for the same number in another spelling. */
export function readExpires(text: unknown): number | null {
  return typeof text === 'string' && /^[1-9]\d{0,11}$/.test(text) ? Number(text) : null;
}

export function createLinks(secret: string): Links {
  const sign = (...parts: (string | number)[]) =>
    createHmac('sha256', secret).update(parts.join('\n')).digest('base64url');
  const signatureOf = ({ fileId, variant, expires }: FileLink) => sign(fileId, variant, expires);
  const signatureOfTunnel = ({ jobId, expires }: TunnelLink) => sign(jobId, 'tunnel', expires);
  // Texts, not bytes: readers of base64 skip the last bits, and what is no letter of it.
  const isSame = (signature: string, expected: string): boolean => {
    const [given, own] = [Buffer.from(signature), Buffer.from(expected)];
    return given.length === own.length && timingSafeEqual(given, own);
  };
  return {
    sign(origin, fileId, variant, expiresAt) {
      const link = { fileId, variant, expires: Math.floor(expiresAt.getTime() / 1_000) };
      const query = new URLSearchParams({
        ...(variant === 'original' ? {} : { variant }),
        expires: String(link.expires),
        signature: signatureOf(link),
      });
      return `${origin}/files/${fileId}?${query}`;
    },
    isValid: (link, signature) => isSame(signature, signatureOf(link)),
    signTunnel(origin, jobId, expiresAt) {
      const link = { jobId, expires: Math.floor(expiresAt.getTime() / 1_000) };
      const signature = signatureOfTunnel(link);
      return `${origin}/tunnel/${jobId}?${new URLSearchParams({ expires: String(link.expires), signature })}`;
    },
    isTunnelValid: (link, signature) => isSame(signature, signatureOfTunnel(link)),
  };
}
