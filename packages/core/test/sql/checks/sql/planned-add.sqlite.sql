select case when (((select ?) and ("p"."labelId" = (select ?)))) then 'allowed' end as allowed
from (select value as "crud_row", value ->> 0 as "id", value ->> 1 as "title", value ->> 2 as "shelf", value -> '$[3][0]' as "facts", value ->> 4 as "labelId", value ->> 5 as "openerId"
  from json_each(?)) as "p"
-- [1,1,"[[null,\"New\",null,null,1,null]]"]
