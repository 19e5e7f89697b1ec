select case when "crud_found".json is distinct
from 'allowed'::text then cast('fastify-crud: a policy does not allow what the write has stored' || left(coalesce("crud_found".json, ''), 0) as integer) end as "same"
from (select) as "crud_one"
left join (select case when exists (select 1
    from (select unnest((select $1::bigint[])) as "id") as "x"
    cross join lateral (select "t".*
      from "album" as "t"
      where "t"."id" = "x"."id" and (($2::boolean and ("t"."labelId" = $3::bigint))) is not true offset 0) as "t") then 'forbidden' else 'allowed' end as json offset 0) as "crud_found" on true
-- ["{111}",true,1]
