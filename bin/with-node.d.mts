export interface FoundNode {
  path: string;
  version: string;
}

export function isNewEnough(version: string): boolean;

export function chooseNode(found: {
  running: FoundNode;
  installed: string | undefined;
  onPath: FoundNode[];
  hasNpx: boolean;
}): { command: string; args: string[]; note?: string } | { problem: string };

export function resolveTarget(target: string): string;
