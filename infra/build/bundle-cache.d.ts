export declare const CACHE: string;
export declare const currentBundle: (root: string) => string | undefined;
export declare const markOf: (root: string, path: string) => string;
