select case when (($1::boolean and ("p"."labelId" = $2::bigint))) then 'allowed' end as allowed
from (select "crud_record"."id", "crud_record"."title", "crud_record"."shelf", "crud_record"."facts", "crud_record"."labelId", "crud_record"."openerId"
  from unnest(array(select jsonb_populate_recordset((select "crud_type"
          from "album" as "crud_type"
          where false), $3::text::jsonb))) as "crud_record") as "p"
-- [true,1,"[{\"id\":null,\"title\":\"New\",\"shelf\":null,\"facts\":null,\"labelId\":1,\"openerId\":null}]"]
