import * as z from 'zod';
import { VersionRecord } from '../../shared/model/registration.ts';
import { ToolDefinition, ToolSpec } from '../../shared/model/tool.ts';

/** Schemas that several answers share. */

export const DefinitionBody = ToolDefinition.extend({ make_default: z.boolean().optional() }).meta({
  id: 'ToolDefinition',
});

export const RegistrationBody = z
  .object({
    id: z.string(),
    spec: ToolSpec,
    digest: z.string(),
    enabled: z.boolean(),
    default_version: z.string(),
    versions: z.array(z.string()),
    deprecated: z.union([z.literal(true), z.string()]).optional(),
    created_at: z.string().optional(),
    warnings: z.array(z.string()).optional(),
    source: z.string().optional().meta({ description: 'The source it comes from.' }),
    waiting: z.array(z.string()).optional().meta({ description: 'Versions that wait for approval.' }),
    disabled_reason: z.string().optional(),
  })
  .meta({ id: 'Registration' });

export const VersionsBody = z
  .object({ versions: z.array(VersionRecord), default_version: z.string() })
  .meta({ id: 'Versions' });

export const NameParam = z.object({ name: z.string().meta({ description: 'The tool, by its name.' }) });

export const PageParams = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z.string().max(512).optional(),
});

export const IdParam = z.object({ id: z.string() });
