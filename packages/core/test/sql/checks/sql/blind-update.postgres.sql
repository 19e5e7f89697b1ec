update "track" as "t0" set "title" = case when coalesce(to_json("t0"."title"::text)::text, 'null') is distinct
from $1::text then $2 else "t0"."title" end, "seconds" = case when "t0"."seconds"::text::float8 is distinct
from $3::float8 then $4 else "t0"."seconds" end
where "t0"."id" = $5::bigint and "t0"."albumId" = $6::bigint and true and (coalesce(to_json("t0"."title"::text)::text, 'null') is distinct
  from $7::text or "t0"."seconds"::text::float8 is distinct
  from $8::float8) returning 1 as one
-- ["\"new\"","new",10,10,221,111,"\"new\"",10]
