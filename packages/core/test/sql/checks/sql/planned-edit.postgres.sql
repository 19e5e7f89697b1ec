select case when (($1::boolean and ("p"."labelId" = $2::bigint))) then 'allowed' end as allowed
from (select "n"."id" as "id", "n"."title" as "title", "t"."shelf" as "shelf", "t"."facts" as "facts", "t"."labelId" as "labelId", "t"."openerId" as "openerId"
  from (select "crud_record"."id", "crud_record"."title"
    from unnest(array(select jsonb_populate_recordset((select "crud_type"
            from "album" as "crud_type"
            where false), $3::text::jsonb))) as "crud_record") as "n" join "album" as "t" on "t"."id" = "n"."id") as "p"
-- [true,1,"[{\"id\":111,\"title\":\"New\"}]"]
